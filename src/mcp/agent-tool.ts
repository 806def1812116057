import type { Static, TObject } from '@sinclair/typebox'
import { assertMayWrite } from './limits.ts'
import { saidPractice } from './practice.ts'
import { readArguments } from './read-arguments.ts'
import { refusal, withHints } from './refusal.ts'
import { defineTool, type Hints, type SignedContext, type Tool, type ToolContext } from './tool.ts'

type Words<S extends TObject> = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: S
  /** Closer next steps than a failure's code alone can give. */
  readonly hints?: Hints
}

const READ = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
}

/** A tool that reads what anybody may read. */
export function publicTool<S extends TObject>(
  words: Words<S> & {
    readonly run: (context: ToolContext, args: Static<S>) => Promise<unknown>
  },
): Tool {
  const { hints, run, ...shown } = words
  return defineTool({
    ...shown,
    annotations: READ,
    needsCredentials: false,
    run: (context, raw) => withHints(hints, () => run(context, read(words.arguments, raw, false))),
  })
}

/** A tool that reads the caller's own account. */
export function accountTool<S extends TObject>(
  words: Words<S> & {
    readonly run: (context: SignedContext, args: Static<S>) => Promise<unknown>
  },
): Tool {
  const { hints, run, ...shown } = words
  return defineTool({
    ...shown,
    description: `${words.description} ${NEEDS_CREDENTIALS}`,
    annotations: READ,
    needsCredentials: true,
    run: (context, raw) =>
      withHints(hints, () => run(signedContext(context, hints), read(words.arguments, raw, false))),
  })
}

/** A tool that changes the caller's account. An argument it does not know is refused, not ignored. */
export function writeTool<S extends TObject>(
  words: Words<S> & {
    /** Takes something away that cannot be put back. True unless said otherwise. */
    readonly destructive?: boolean
    /** Whether doing it twice does no more than doing it once. */
    readonly idempotent: boolean
    readonly run: (context: SignedContext, args: Static<S>) => Promise<unknown>
  },
): Tool {
  const { hints, run, destructive = true, idempotent, ...shown } = words
  return defineTool({
    ...shown,
    description: `${words.description} ${NEEDS_CREDENTIALS}`,
    annotations: {
      readOnlyHint: false,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: true,
    },
    needsCredentials: true,
    run: (context, raw) =>
      withHints(hints, () => {
        assertMayWrite(context, words.name)
        return saidPractice(context, () =>
          run(signedContext(context, hints), read(words.arguments, raw, true)),
        )
      }),
  })
}

const NEEDS_CREDENTIALS = 'Needs credentials.'

// What was read has the shape the schema says; the reader cannot tell the compiler so.
function read<S extends TObject>(schema: S, raw: unknown, refuseUnknown: boolean): Static<S> {
  return readArguments(schema, raw, { refuseUnknown }) as Static<S>
}

// The protocol has asked for credentials before it runs a tool that needs them; the compiler cannot know.
function signedContext(context: ToolContext, hints: Hints = {}): SignedContext {
  const { credentials } = context
  if (credentials) return { ...context, credentials, hints }
  throw refusal('unauthorized')
}
