import { generateX25519Identity, identityToRecipient } from 'age-encryption'

/** A new key of age, as the text of its file, and the recipient that PREPD_BACKUP names. */
export async function newBackupKey(): Promise<{
  readonly text: string
  readonly recipient: string
}> {
  const identity = await generateX25519Identity()
  const recipient = await identityToRecipient(identity)
  return { text: `# public key: ${recipient}\n${identity}\n`, recipient }
}

/** The key in the text of its file; null where there is none. */
export function backupKeyIn(text: string): string | null {
  return /^AGE-SECRET-KEY-1[0-9A-Z]{58}$/m.exec(text)?.[0] ?? null
}
