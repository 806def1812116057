import { toHex } from '../../core/hex.ts'
import { type Tool, type ToolContext, ToolFailure } from '../tool.ts'

/** A caller's context, and the names of missing credentials. */
export type ToolSession = {
  readonly context: ToolContext
  readonly absent: readonly string[]
  /** The reason why the given credentials are unusable. */
  readonly unusable?: ToolFailure
}

/**
 * Throws ToolFailure if a tool needs credentials and the context has no credentials: `unusable` if it is set, else
 * unauthorized with the names of the missing credentials.
 */
export function assertCredentials(tool: Tool, { context, absent, unusable }: ToolSession): void {
  if (!tool.needsCredentials || context.credentials) return
  if (unusable) throw unusable
  throw new ToolFailure({
    error: `Credentials are missing: ${absent.join(', ')}.`,
    code: 'unauthorized',
    meta: {
      missing: absent,
      next: 'Ask the user to set them in the configuration of this client, never in the chat. For a practice venue, `prepd --mode admin account create` prints them.',
    },
  })
}

/** Throws ToolFailure invalid_request if the arguments of a call contain the caller's own secret key. */
export function assertNoSecretKey(given: object, { context }: ToolSession): void {
  const { credentials } = context
  if (!credentials) return
  if (!JSON.stringify(given).toLowerCase().includes(toHex(credentials.secret))) return
  throw new ToolFailure({
    error: 'An argument holds the trading key, which belongs in the client configuration alone.',
    code: 'invalid_request',
    meta: { next: 'Tell the user to replace this key: it has been in the conversation.' },
  })
}
