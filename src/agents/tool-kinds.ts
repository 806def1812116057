import type { Static, TObject } from '@sinclair/typebox'
import { isObject } from '../core/json.ts'
import { assertMayWrite } from './limit-rules.ts'
import { runPracticeMarked } from './practice.ts'
import { readArguments } from './read-arguments.ts'
import { toolRefusal, toToolFailure, withHints, withMeta } from './refusal.ts'
import type { Hints, SignedContext, Tool, ToolContext } from './tool.ts'
import type { Advice } from './unknown-argument.ts'
import { UNTRUSTED } from './untrusted-text.ts'

type Definition<S extends TObject, Context> = {
  readonly name: string
  /** The title, if it differs from the tool's name in words. */
  readonly title?: string
  readonly description: string
  readonly arguments: S
  /** More specific next steps per failure code. */
  readonly hints?: Hints
  readonly otherWays?: Advice['otherWays']
  /** Whether answers contain text of the venue or third parties; they are then marked as untrusted. */
  readonly untrusted?: true
  readonly run: (context: Context, args: Static<S>) => Promise<unknown>
}

const READ = { readOnlyHint: true }

const NEEDS_CREDENTIALS = 'Needs credentials.'

/** A tool that reads public data. */
export function publicTool<S extends TObject>(definition: Definition<S, ToolContext>): Tool {
  const { hints, untrusted, otherWays, run, ...shown } = definition
  return {
    title: titleText(shown.name),
    ...shown,
    annotations: READ,
    needsCredentials: false,
    run: (context, raw) =>
      withHints(hints, async () =>
        withUntrustedMark(
          untrusted,
          await run(context, parsedArguments(shown, raw, otherWays && { otherWays })),
        ),
      ),
  }
}

/** A tool that reads the caller's own account. */
export function accountTool<S extends TObject>(definition: Definition<S, SignedContext>): Tool {
  const { hints = {}, untrusted, otherWays, run, description, ...shown } = definition
  return {
    title: titleText(shown.name),
    ...shown,
    description: `${description} ${NEEDS_CREDENTIALS}`,
    annotations: READ,
    needsCredentials: true,
    run: (context, raw) =>
      withHints(hints, async () => {
        const signed = { ...signedContext(context), hints }
        return withUntrustedMark(
          untrusted,
          await run(signed, parsedArguments(shown, raw, otherWays && { otherWays })),
        )
      }),
  }
}

/** A tool that changes the caller's account. */
export function writeTool<S extends TObject>(
  definition: Omit<Definition<S, SignedContext>, 'untrusted'> & {
    /** The effect of a call without its narrowing argument, as the end of the sentence "without it, this call". */
    readonly effect: string
    /** Whether the write cannot be undone. Default: true. */
    readonly destructive?: boolean
    /** Whether a repeated call has no further effect. */
    readonly idempotent: boolean
  },
): Tool {
  const {
    hints = {},
    run,
    description,
    effect,
    otherWays,
    destructive = true,
    idempotent,
    ...shown
  } = definition
  const advice = { effect, ...(otherWays && { otherWays }) }
  return {
    title: titleText(shown.name),
    ...shown,
    description: `${description} ${NEEDS_CREDENTIALS}`,
    annotations: { readOnlyHint: false, destructiveHint: destructive, idempotentHint: idempotent },
    needsCredentials: true,
    run: (context, raw) =>
      withHints(hints, () => {
        assertMayWrite(context, shown.name)
        const signed = { ...signedContext(context), hints }
        return repeatable(raw, () =>
          runPracticeMarked(context, () => run(signed, parsedArguments(shown, raw, advice))),
        )
      }),
  }
}

function titleText(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')
}

/**
 * Runs a write. If the write fails because it needs an approval, the failure gets the arguments that repeat the same
 * write.
 */
async function repeatable<T>(
  raw: Readonly<Record<string, unknown>>,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const failure = toToolFailure(error)
    if (failure.code !== 'approval_required') throw error
    const { client_order_id } = failure.meta
    const named = client_order_id === undefined ? {} : { client_order_id }
    if (failure.meta['state'] === 'refused')
      throw withMeta(failure, { next: APPROVAL_REFUSED_STEP })
    throw withMeta(failure, { again: { ...raw, ...named }, ...failure.meta, next: APPROVAL_STEP })
  }
}

const APPROVAL_STEP =
  'Nothing was sent. Give the user the link: the owner of the account approves there with a wallet, which you cannot do. Once approved, call again with the arguments of again, unchanged, within two minutes. If state is refused, stop.'

const APPROVAL_REFUSED_STEP =
  'Nothing was sent: the owner of the account has refused this. Stop; do not ask again in another form. Tell the user.'

function withUntrustedMark(untrusted: true | undefined, answer: unknown): unknown {
  return untrusted && isObject(answer) ? { ...answer, ...UNTRUSTED } : answer
}

// readArguments has checked the shape; the compiler cannot infer it.
function parsedArguments<S extends TObject>(
  { name, arguments: schema }: { readonly name: string; readonly arguments: S },
  raw: unknown,
  advice: Omit<Advice, 'tool'> = {},
): Static<S> {
  return readArguments(schema, raw, { tool: name, ...advice }) as Static<S>
}

/** The context with credentials. Throws unauthorized without them. */
export function signedContext(context: ToolContext): SignedContext {
  const { credentials } = context
  if (credentials) return { ...context, credentials }
  throw toolRefusal('unauthorized')
}
