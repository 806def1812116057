import { Envelope } from '../contract/envelope.ts'
import { LIMITS } from '../contract/limits.ts'
import { signedText } from '../core/crypto/signed-text.ts'
import { parsePublicKey } from '../core/crypto/signing.ts'
import { createVerifier } from '../core/crypto/verifier.ts'
import { Failure } from '../core/failure.ts'
import { toHex } from '../core/hex.ts'
import { reportUnexpected } from '../core/loop/guarded.ts'
import { parseBody } from '../core/parse-body.ts'
import { readTextFile } from '../core/settings/files.ts'
import { UsageError } from '../core/settings/usage-error.ts'
import { assertFresh, assertSignature } from '../gateway/relay/signed.ts'
import { writeIdentity } from '../gateway/relay/write-ledger.ts'
import { createScrub } from '../gateway/scrub/scrub.ts'
import { matchRelay } from '../upstream/wire/allowlist.ts'
import type { CommandArguments, CommandEnvironment } from './command/command.ts'
import { aligned } from './command/tables.ts'

type Gate = { readonly gate: string; readonly passes: boolean; readonly why: string | null }

/**
 * Runs an envelope through the relay's checks without sending it, and shows the exact text that its signature must
 * cover. Returns the exit code: 0 if all checks pass, 1 if one refuses, 64 if the file is missing or unreadable.
 */
export async function explainCommand(
  deps: CommandEnvironment,
  args: CommandArguments,
): Promise<0 | 1> {
  const text = await readOperand(deps, args)
  const shape = attempt('envelope', () => parseBody(Envelope, text))
  if (!shape.value) return reported(deps, [shape.gate], {})
  const envelope = shape.value
  const { auth, method, path } = envelope
  const signed = signedText({ ...envelope, timestamp: auth.timestamp })
  const route = attempt('path', () => matchRelay(method, path))
  const publicKey = parsePublicKey(auth.key)
  const gates = [
    shape.gate,
    route.gate,
    attempt('freshness', () =>
      assertFresh(auth.timestamp, deps.world.clock.nowMs(), 'auth.timestamp'),
    ).gate,
    attempt('signature', () =>
      assertSignature(createVerifier({ keysMax: 1 }), { ...auth, text: signed }, 'auth.'),
    ).gate,
  ]
  return reported(deps, gates, {
    call: `${method} ${path}`,
    kind: route.value ? (route.value.writes ? 'write' : 'read') : null,
    signedText: signed,
    signedHex: toHex(new TextEncoder().encode(signed)),
    ageMs: deps.world.clock.nowMs() - Number(auth.timestamp),
    identity: publicKey ? writeIdentity(publicKey, signed) : null,
  })
}

function attempt<Value>(gate: string, pass: () => Value): { value: Value | null; gate: Gate } {
  try {
    return { value: pass(), gate: { gate, passes: true, why: null } }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const about = error.meta?.['parameter'] ?? error.meta?.['reason']
    const why = `${error.code}${about === undefined ? '' : ` (${String(about)})`}`
    return { value: null, gate: { gate, passes: false, why } }
  }
}

function reported(
  { report }: CommandEnvironment,
  gates: readonly Gate[],
  facts: Readonly<Record<string, string | number | null>>,
): 0 | 1 {
  const passes = gates.every((gate) => gate.passes)
  report({ passes, gates, ...facts }, [
    ...aligned(gates.map(({ gate, passes: good, why }) => [good ? 'ok' : 'fail', gate, why ?? ''])),
    ...aligned(Object.entries(facts).map(([name, value]) => [name, String(value ?? '-')])),
  ])
  return passes ? 0 : 1
}

/**
 * Shows how callers would receive a JSON text of the venue: without the names that the settings remove. Returns 0.
 * Throws UsageError for an unreadable file or invalid JSON.
 */
export async function scrubTestCommand(
  deps: CommandEnvironment,
  args: CommandArguments,
): Promise<0> {
  const text = await readOperand(deps, args)
  const scrub = createScrub({ names: deps.settings.scrubNames })
  try {
    JSON.parse(text)
    const { bytes } = scrub.text(text, { audience: 'public' })
    const scrubbed = new TextDecoder().decode(bytes)
    const value: unknown = JSON.parse(scrubbed)
    const isSame = scrubbed === text.trim()
    deps.report({ changed: !isSame, scrubbed: value }, [
      scrubbed,
      isSame ? 'nothing was blanked' : 'it differs from what was given',
    ])
    return 0
  } catch (error) {
    reportUnexpected('process', error, Error)
    throw new UsageError('FILE holds no JSON')
  }
}

/** The text of the operand FILE; `-` means standard input. Throws UsageError if it is unreadable. */
async function readOperand(
  { files, world }: CommandEnvironment,
  args: CommandArguments,
): Promise<string> {
  const path = args.get('FILE') ?? ''
  if (path === '-') return world.disk.readInput()
  const text = readTextFile(files, path, LIMITS.upstreamBodyMaxBytes)
  if (text === null) throw new UsageError('FILE cannot be read')
  return text
}
