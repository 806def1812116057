/** Whether a path from the root is there: of a folder or of a file. */
type Exists = (path: string) => boolean

/** Every folder or file that a text names between backticks and that is neither at the root nor in src. */
export function missingPaths(text: string, exists: Exists): string[] {
  const named = [...text.matchAll(/`([^`\s]+)`/g)].map(([, token = '']) => token)
  return [...new Set(named.filter(isPath))].filter(
    (path) => !exists(path) && !exists(`src/${path}`),
  )
}

/** `src/…`, `folder/`, `folder/file.ts`, `file.ts`: not `/healthz`, `eth/usd` or `127.0.0.0/8`. */
function isPath(token: string): boolean {
  return /^(?:src\/[\w./-]*|(?:[\w-]+\/)+(?:[\w.-]+\.[a-z]+)?|[\w.-]+\.ts)$/.test(token)
}

/** The folders that no row of the text's tables names. */
export function unlistedFolders(text: string, folders: readonly string[]): string[] {
  const rows = text.split('\n').filter((line) => line.startsWith('|'))
  return folders.filter((folder) => !rows.some((row) => row.includes(`\`${folder}/\``)))
}
