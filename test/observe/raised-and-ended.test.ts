import { expect } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { freePort } from '../free-port.ts'
import { needProgram, testsNeeding } from '../programs.ts'
import { type AnswerSpec, startRecordingUpstream } from '../recording-upstream.ts'
import { deleteStore } from '../surface/lost-store.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'
import { writePair } from '../tls-pair.ts'
import { RULES } from './alerting.ts'

const { test } = testsNeeding('alarms and notices of real programs', 'prometheus', 'openssl')

const KEY = 'the-operator-key-of-raised-and-ended'
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const SKEW_MS = 40_000

/** The alarm of Prometheus and the notice of prepd for each trouble. */
const TROUBLES = {
  PrepdNotReady: 'venue_away',
  PrepdMaintenance: 'maintenance',
  PrepdClockSkew: 'clock_skew',
  PrepdCertificateEnds: 'certificate_ends',
  PrepdRecordsLost: 'records_lost',
} as const
const ALARMS = Object.keys(TROUBLES).toSorted()
const LASTING = ALARMS.filter((alarm) => alarm !== 'PrepdRecordsLost')
const NOTICES = Object.values(TROUBLES).toSorted()

// Slow: notices wait until a trouble has held for a quarter of a minute.
test('five alarms and five notices are raised by real troubles of the executable, and end with them', async () => {
  using folder = temporaryFolder()
  const at = (name: string) => join(folder.path, name)
  let skewMs = SKEW_MS
  let isAway = false
  const venue = await startRecordingUpstream((): AnswerSpec => {
    if (isAway) return 'close'
    const data = { status: 0, msg: 'ok', scheduled_maintenance: null }
    return { json: { success: true, timestamp: Date.now() + skewMs, data } }
  })
  const received: string[] = []
  const hook = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const { data } = Object(await request.json())
      for (const { name, state } of data.notices) received.push(`${name} ${state}`)
      return new Response('ok')
    },
  })
  const target = `kind = "webhook"\nurl = "${hook.url}"\nsecret = "${SECRET}"\n`
  writeFileSync(at('notify.toml'), `[[targets]]\n${target}`, { mode: 0o600 })
  const { cert, key } = writePair(folder.path, 'tls')
  const settings = {
    ...{ VENUE: venue.url, OPERATOR_KEY: KEY, OPS_LISTEN: '127.0.0.1:0' },
    ...{ NOTIFY: at('notify.toml'), DATA_DIR: at('data'), TLS_CERT: cert, TLS_KEY: key },
  }
  // The records are lost between two starts.
  const before = spawnPrepd({ settings })
  const order = { method: 'POST', path: '/v1/order', body: '{"symbol":"PERP_ETH_USDC"}' } as const
  const written = await fetch(`${await before.url()}/api/prep/relay`, {
    ...jsonPost(envelope(newCaller(), order)),
    tls: { rejectUnauthorized: false },
  })
  expect(written.status).toBe(200)
  before.kill('SIGTERM')
  await before.ended()
  deleteStore(at('data'))
  const prepd = spawnPrepd({ settings })
  await prepd.url()
  const opsUrl = await prepd.opsUrl()
  await using prometheus = startPrometheus(at('prometheus'), new URL(opsUrl).host)
  const operator = async (...words: readonly string[]) => {
    const argv = ['--mode', 'admin', ...words, '--ops-url', opsUrl]
    expect((await spawnPrepd({ argv, settings }).ended()).code).toBe(0)
  }

  // While records are lost the server is not ready, whatever its venue does.
  await eventuallyAll(['records_lost begun'], async () => received)
  await eventuallyAll(['PrepdRecordsLost'], prometheus.firing)
  await operator('loss', 'confirm')
  await eventuallyAll(['records_lost over'], async () => received)
  await operator('maintenance', 'on', '--sentence', 'Back soon.')
  // The skew is known once the venue has answered.
  await eventuallyAll(['clock_skew begun'], async () => received)
  isAway = true
  await eventuallyAll(
    NOTICES.map((name) => `${name} begun`),
    async () => received,
  )
  await eventuallyAll(LASTING, prometheus.firing)
  expect(received.filter((notice) => notice.endsWith(' over'))).toEqual(['records_lost over'])

  isAway = false
  skewMs = 0
  await operator('maintenance', 'off')
  writePair(folder.path, 'tls', 0o600, 90)
  prepd.kill('SIGHUP')
  await eventuallyAll(
    NOTICES.map((name) => `${name} over`),
    async () => received,
  )
  for (;;) {
    const firing = await prometheus.firing()
    if (!ALARMS.some((alarm) => firing.includes(alarm))) break
    await Bun.sleep(100)
  }
  expect(received.toSorted()).toEqual(
    NOTICES.flatMap((name) => [`${name} begun`, `${name} over`]).toSorted(),
  )
  prepd.kill('SIGTERM')
  await prepd.ended()
  await hook.stop(true)
  await venue.stop()
})

/** Asks until everything wanted is there. */
async function eventuallyAll(
  wanted: readonly string[],
  ask: () => Promise<readonly string[]>,
): Promise<void> {
  for (;;) {
    const there = await ask()
    if (wanted.every((each) => there.includes(each))) return
    await Bun.sleep(100)
  }
}

/** Prometheus over one prepd, with the rules that are shipped; their minutes are seconds, so that a test sees their end. */
function startPrometheus(folder: string, target: string) {
  mkdirSync(folder)
  const rules = readFileSync(RULES, 'utf8').replace(/\b(\d+)(m|h)\b/g, (_, count, unit) =>
    unit === 'h' ? '4s' : `${4 * Number(count)}s`,
  )
  writeFileSync(join(folder, 'rules.yml'), rules)
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yml'],
    scrape_configs: [{ job_name: 'prepd', static_configs: [{ targets: [target] }] }],
  }
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config))
  const port = freePort()
  const child = Bun.spawn(
    [
      ...[needProgram('prometheus'), '--config.file=prometheus.yml', '--log.level=error'],
      ...['--storage.tsdb.path=data', `--web.listen-address=127.0.0.1:${port}`],
    ],
    { cwd: folder, stdout: 'ignore', stderr: Bun.file(join(folder, 'log')) },
  )
  return {
    /** The alarms that fire, by name. */
    firing: async (): Promise<readonly string[]> => {
      if (child.exitCode !== null) throw new Error(readFileSync(join(folder, 'log'), 'utf8'))
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/alerts`).catch(() => null)
      const { data } = Object(await answer?.json().catch(() => null))
      const alerts: { state: string; labels: { alertname: string } }[] = data?.alerts ?? []
      return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)
    },
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await child.exited
    },
  }
}
