import noticePath from '../../NOTICE' with { type: 'file' }

/** The text of `--licenses`: notices and licences of everything inside the executable. Read on demand. */
export async function licensesText(): Promise<string> {
  return Bun.file(noticePath).text()
}
