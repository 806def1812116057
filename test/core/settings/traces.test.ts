import { afterAll, expect, test } from 'bun:test'
import { refusal, running, settingsFolder } from '../../settings-folder.ts'

const folder = settingsFolder()
afterAll(() => folder[Symbol.dispose]())

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT'
const HEADERS = 'OTEL_EXPORTER_OTLP_HEADERS'

const tracesOf = (env: Readonly<Record<string, string>>) =>
  running(folder.invoke([], env)).settings.traces

test('traces go nowhere unless a collector is named, and an empty variable names none', () => {
  expect(tracesOf({})).toBeNull()
  expect(tracesOf({ OTEL_SERVICE_NAME: 'api', [HEADERS]: 'a=b' })).toBeNull()
  expect(tracesOf({ [ENDPOINT]: '' })).toBeNull()
})

test('a collector is told by its variable, a flag or a key, and its headers by a file of their own', () => {
  const expected = {
    collector: new URL('https://otel.example'),
    headers: { 'x-key': 'abc' },
    serviceName: 'prepd',
  }
  const path = folder.write('headers', 'x-key=abc\n')
  expect(tracesOf({ [ENDPOINT]: 'https://otel.example', [`${HEADERS}_FILE`]: path })).toEqual(
    expected,
  )
  const config = folder.write(
    'traces.toml',
    `otel_exporter_otlp_endpoint = "https://otel.example"\notel_exporter_otlp_headers_file = "${path}"`,
  )
  const { settings } = running(folder.invoke(['--config', config]))
  expect(settings.traces).toEqual(expected)
})

test('traces go by the name of the service unless they have one of their own', () => {
  const env = { [ENDPOINT]: 'http://collector:4318', PREPD_SERVICE_NAME: 'acme' }
  expect(tracesOf(env)?.serviceName).toBe('acme')
  expect(tracesOf({ ...env, OTEL_SERVICE_NAME: 'acme.api' })?.serviceName).toBe('acme.api')
})

test('headers do not leave this machine in the clear', () => {
  const line = `prepd: ${ENDPOINT} must be https or lead to loopback with ${HEADERS}`
  const far = { [ENDPOINT]: 'http://collector:4318' }
  expect(refusal(folder.invoke([], { ...far, [HEADERS]: 'a=b' }))).toEqual([line])
  expect(tracesOf(far)).not.toBeNull()
  expect(tracesOf({ [ENDPOINT]: 'http://[::1]:4318', [HEADERS]: 'a=b' })).not.toBeNull()
})

test('what is no collector is refused by name, and never repeated', () => {
  const lines = refusal(folder.invoke([], { [ENDPOINT]: 'canary:4317', [HEADERS]: 'canary' }))
  expect(lines).toEqual([
    `prepd: ${ENDPOINT} must be an http or https URL without credentials, query or fragment, or off`,
    `prepd: ${HEADERS} must be name=value pairs separated by commas, values percent-encoded`,
  ])
})

test('what an agent’s client is traced with means nothing to the server that it starts', () => {
  const env = { [ENDPOINT]: 'canary:4317', [HEADERS]: 'canary' }
  expect(running(folder.invoke(['--mode', 'mcp'], env)).settings.traces).toBeNull()
})
