/** The two questions that start-up asks of the disk. */
export type Files = {
  /** What stands at a path, and its permission bits; null when nothing does. Follows links. */
  readonly stat: (path: string) => { readonly directory: boolean; readonly mode: number } | null
  /** The text of a file. Throws whatever the system throws. */
  readonly read: (path: string) => string
}

/** The text of a file, or null when it is absent, a directory or not ours to read. */
export function textOf(files: Files, path: string): string | null {
  const facts = files.stat(path)
  if (facts === null || facts.directory) return null
  try {
    return files.read(path)
  } catch {
    return null
  }
}
