import noticePath from '../../NOTICE' with { type: 'file' }

/** The text of `--licenses`: notices and licences of everything inside the executable. Read when it is asked for. */
export async function licensesText(): Promise<string> {
  return Bun.file(noticePath).text()
}
