import noticePath from '../../NOTICE' with { type: 'file' }

/** The output of `--licenses`: notices and licences of everything inside the executable. */
export async function licensesText(): Promise<string> {
  return Bun.file(noticePath).text()
}
