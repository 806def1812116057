import type { ListedValues } from '../../../src/store/connection/statement.ts'

type HeldClaim = { readonly attempt: string; readonly number: number }

/** What a database holds of the rule: the row of its history, the claims and the instances. */
export type Data = {
  row: Record<string, string | number | boolean>
  readonly claims: Map<string, HeldClaim>
  readonly instances: Map<string, number>
  nextNumber: number
  /** The highest number of a claim that was ever in it. */
  highest: number
}

const CLOCK_MS = 1_700_000_000_000

export function newData(): Data {
  const row = {
    ...{ deployment: 'd', branch: '', branchOf: '', run: '', history: '', witness: '' },
    ...{ hasStandby: false, lostAtMs: 0, recordsLostAtMs: 0, beganMs: 0, claims: 0 },
  }
  return { row, claims: new Map(), instances: new Map(), nextNumber: 1, highest: 0 }
}

export function copyData({ row, claims, instances, ...numbers }: Data): Data {
  return { row: { ...row }, claims: new Map(claims), instances: new Map(instances), ...numbers }
}

type Rows = readonly object[]
type Executed = { readonly isChange: boolean; readonly rows: Rows }
type Work = (data: Data, values: ListedValues, nowMs: number) => Rows
type Executable = { readonly isChange: boolean; readonly work: Work }

const text = (values: ListedValues, name: string) => String(values[name])
const number = (values: ListedValues, name: string) => Number(values[name])
const list = (values: ListedValues, name: string): readonly unknown[] => {
  const value = values[name]
  return Array.isArray(value) ? value : []
}

/** The statements of the fence and of signed claims, as far as the rule depends on them. */
const CHANGES: readonly (readonly [RegExp, Work])[] = [
  [/^INSERT INTO prepd_l/, makeRow],
  [/SET branch = \$branch/, beginBranch],
  [/SET run = \$run, witness/, see],
  [/SET \w+ = \$history, began_at/, begin],
  [/SET \w+ = \$history, claims/, lose],
  [/setval/, skip],
  [/^INSERT INTO prepd_signed_claims \(identity, expires_ms/, claim],
  [/^INSERT INTO prepd_signed_claims \(identity, attempt/, assertClaims],
  [/^WITH own AS/, release],
  [/prepd_controls|prepd_voucher_audit \(at_ms/, () => []],
  [
    /^INSERT INTO prepd_instances/,
    (data, values, nowMs) => {
      data.instances.set(text(values, 'name'), CLOCK_MS + nowMs)
      return []
    },
  ],
]
const READS: readonly (readonly [RegExp, Work])[] = [
  [/^SELECT deployment, branch, run/, readRow],
  [/^SELECT 1 FROM prepd_l/, () => []],
  [/^SELECT witness/, ({ row }) => [{ witness: row['witness'] }]],
  [
    /FROM prepd_instances/,
    ({ instances }) => [...instances].map(([name, seenMs]) => ({ name, seenMs })),
  ],
]

export function execute(data: Data, sql: string, values: ListedValues, nowMs: number): Executed {
  const executable = KNOWN.get(sql) ?? executableOf(sql)
  KNOWN.set(sql, executable)
  const { isChange, work } = executable
  return { isChange, rows: work(data, values, nowMs) }
}

/** What was found for each text: most of a schedule's time went into patterns. */
const KNOWN = new Map<string, Executable>()

function executableOf(sql: string): Executable {
  for (const [isChange, works] of [
    [true, CHANGES],
    [false, READS],
  ] as const) {
    const found = works.find(([pattern]) => pattern.test(sql))
    if (found) return { isChange, work: found[1] }
  }
  throw new Error(`the model knows no such statement: ${sql.slice(0, 60)}`)
}

function takeNumber(data: Data): number {
  const number = data.nextNumber
  data.nextNumber += 1
  data.highest = number
  return number
}

function makeRow({ row }: Data, values: ListedValues): Rows {
  if (row['history'] === '') row['history'] = text(values, 'history')
  return []
}

function beginBranch({ row }: Data, values: ListedValues): Rows {
  const history = text(values, 'history')
  if (row['branchOf'] === history) return []
  Object.assign(row, { branch: text(values, 'branch'), branchOf: history })
  return []
}

function see({ row }: Data, values: ListedValues): Rows {
  const [witness, run] = [text(values, 'witness'), text(values, 'run')]
  if (row['witness'] !== text(values, 'before')) return []
  if (witness !== '') row['witness'] = witness
  row['run'] = run
  row['hasStandby'] ||= values['hasStandby'] === true
  return []
}

function begin({ row }: Data, values: ListedValues, nowMs: number): Rows {
  Object.assign(row, { history: text(values, 'history'), beganMs: CLOCK_MS + nowMs })
  return []
}

function lose({ row }: Data, values: ListedValues, nowMs: number): Rows {
  const atMs = CLOCK_MS + nowMs
  const lostMs = values['hasLostRecords'] === true ? atMs : 0
  row['lostAtMs'] = Math.max(Number(row['lostAtMs']), number(values, 'untilMs'), lostMs)
  row['claims'] = Math.max(Number(row['claims']), number(values, 'claims'))
  row['recordsLostAtMs'] = Math.max(Number(row['recordsLostAtMs']), lostMs)
  row['history'] = text(values, 'history')
  return []
}

function skip(data: Data, values: ListedValues): Rows {
  data.nextNumber = Math.max(data.nextNumber, number(values, 'claims') + 1)
  return []
}

function claim(data: Data, values: ListedValues): Rows {
  const [identity, attempt] = [text(values, 'identity'), text(values, 'attempt')]
  const held = data.claims.get(identity)
  if (held && held.attempt !== attempt) return []
  const next = takeNumber(data)
  data.claims.set(identity, { attempt, number: next })
  return [{ number: next }]
}

function assertClaims(data: Data, values: ListedValues): Rows {
  const attempts = list(values, 'attempts')
  return list(values, 'identities').flatMap((identity, at) => {
    const attempt = String(attempts[at])
    if (data.claims.get(String(identity))?.attempt === attempt) return []
    data.claims.set(String(identity), { attempt, number: takeNumber(data) })
    return [{}]
  })
}

function release(data: Data, values: ListedValues): Rows {
  const attempts = list(values, 'attempts')
  for (const [at, identity] of list(values, 'identities').entries()) {
    const held = data.claims.get(String(identity))
    if (!held || held.attempt !== attempts[at]) continue
    data.row['claims'] = Math.max(Number(data.row['claims']), held.number)
    data.claims.delete(String(identity))
  }
  return []
}

function readRow({ row, highest }: Data): Rows {
  return [{ ...row, claims: Math.max(Number(row['claims']), highest), vouchers: 0 }]
}
