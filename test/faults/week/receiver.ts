import { createHmac, timingSafeEqual } from 'node:crypto'
import { writeFileSync } from 'node:fs'

/** A notice as an operator got it. */
type Received = {
  readonly atMs: number
  readonly service: string
  readonly name: string
  readonly state: string
}

/** A receiver takes no message that is signed for a time further from its own, as Standard Webhooks advises. */
const TOLERANCE_SECONDS = 300

/** A receiver of Standard Webhooks that checks each signature itself, with the file of targets that names it. */
export function startReceiver(path: string) {
  const secret = crypto.getRandomValues(new Uint8Array(32))
  const received: Received[] = []
  const refused: string[] = []
  const ids = new Set<string>()

  async function take(request: Request): Promise<Response> {
    const body = await request.text()
    const header = (name: string) => request.headers.get(`webhook-${name}`) ?? ''
    const [id, seconds] = [header('id'), Number(header('timestamp'))]
    const made = createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64')
    const [expected, given] = [Buffer.from(`v1,${made}`), Buffer.from(header('signature'))]
    const isSigned = expected.length === given.length && timingSafeEqual(expected, given)
    const offSeconds = Math.round(seconds - Date.now() / 1000)
    if (!isSigned || Math.abs(offSeconds) > TOLERANCE_SECONDS) {
      refused.push(isSigned ? `signed ${offSeconds} s off` : 'not signed')
      return new Response('', { status: 401 })
    }
    const { service, notices } = JSON.parse(body).data
    if (!ids.has(id))
      for (const { name, state } of notices)
        received.push({ atMs: performance.now(), service, name, state })
    ids.add(id)
    return new Response('')
  }

  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: take })
  const whsec = `whsec_${Buffer.from(secret).toString('base64')}`
  const target = `[[targets]]\nkind = "webhook"\nurl = "${server.url.href}"\nsecret = "${whsec}"\n`
  writeFileSync(path, target, { mode: 0o600 })
  return { path, received, refused, stop: () => server.stop(true) }
}
