import { toHex } from '../../core/hex.ts'
import { type Tool, type ToolContext, ToolFailure } from '../tool.ts'

/** A caller's context, and the names of the credentials it did not give. */
export type ToolSession = {
  readonly context: ToolContext
  readonly absent: readonly string[]
  /** Why the credentials that were given cannot be used. */
  readonly unusable?: ToolFailure
}

/**
 * Throws ToolFailure for a tool that needs credentials when the context has no usable ones: the reason why the given
 * ones are unusable, or unauthorized with the absent names.
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

/** Throws ToolFailure invalid_request when the caller's own secret stands anywhere in the arguments of a call. */
export function assertSecretKept(given: object, { context }: ToolSession): void {
  const { credentials } = context
  if (!credentials) return
  if (!JSON.stringify(given).toLowerCase().includes(toHex(credentials.secret))) return
  throw new ToolFailure({
    error: 'An argument holds the trading key, which belongs in the client configuration alone.',
    code: 'invalid_request',
    meta: { next: 'Tell the user to replace this key: it has been in the conversation.' },
  })
}
