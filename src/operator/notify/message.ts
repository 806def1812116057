import { type Message, NOTIFY_LIMITS, type Notice } from '../../contract/operator/notify.ts'
import { webhookSignature } from '../../core/crypto/webhook.ts'
import type { HttpTarget } from './config.ts'

/** Whether a message is also sent in quiet hours. */
export function isUrgent({ notices }: Pick<Message, 'notices'>): boolean {
  return notices.some(({ level, state }) => level === 'page' && state !== 'over')
}

/** The HTTP request that delivers a message to a target. `nowMs` is the time of the attempt. */
export function deliveryRequest(target: HttpTarget, message: Message, nowMs: number): Request {
  if (target.kind === 'webhook') return webhook(target, message, nowMs)
  return target.kind === 'ntfy' ? ntfy(target, message) : chat(target, message)
}

function webhook(
  { url, secret }: Extract<HttpTarget, { kind: 'webhook' }>,
  { id, atMs, service, instance, host, notices }: Message,
  nowMs: number,
): Request {
  const body = JSON.stringify({
    type: 'prepd.notices',
    timestamp: new Date(atMs).toISOString(),
    data: {
      service,
      instance,
      host,
      notices: notices.map(({ sinceMs, ...notice }) => ({
        ...notice,
        since: new Date(sinceMs).toISOString(),
      })),
    },
  })
  const headers = webhookHeaders(secret, { id, body, nowMs })
  return new Request(url.href, { method: 'POST', redirect: 'manual', headers, body })
}

type Signed = { readonly id: string; readonly body: string; readonly nowMs: number }

/** The headers of a message as the Standard Webhooks specification requires them. */
export function webhookHeaders(secret: Uint8Array, { id, body, nowMs }: Signed) {
  const seconds = Math.floor(nowMs / 1000)
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': webhookSignature(secret, { id, seconds, body }),
  }
}

/** An ntfy request with one line per notice. The title is ASCII, since it is a header. */
function ntfy({ url, token }: Extract<HttpTarget, { kind: 'ntfy' }>, message: Message): Request {
  return new Request(url.href, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      title: messageTitle(message).replace(/[^\x20-\x7e]/g, '?'),
      priority: isUrgent(message) ? '5' : '3',
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    body: messageLines(message).join('\n'),
  })
}

type ChatTarget = Extract<HttpTarget, { kind: 'slack' | 'discord' | 'telegram' }>

/** A chat message, with mentions and link previews disabled. */
function chat(target: ChatTarget, message: Message): Request {
  const text = [messageTitle(message), ...messageLines(message)]
    .join('\n')
    .slice(0, NOTIFY_LIMITS.textMaxChars[target.kind])
    .toWellFormed()
  return new Request(chatUrl(target), {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(chatBody(target, text)),
  })
}

const DISCORD_SUPPRESS_EMBEDS = 1 << 2

function chatBody(target: ChatTarget, text: string) {
  if (target.kind === 'discord')
    return { content: text, allowed_mentions: { parse: [] }, flags: DISCORD_SUPPRESS_EMBEDS }
  if (target.kind === 'telegram')
    return { chat_id: target.chat, text, link_preview_options: { is_disabled: true } }
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return { text: escaped, unfurl_links: false, unfurl_media: false }
}

function chatUrl(target: ChatTarget): string {
  const { href } = target.url
  if (target.kind !== 'telegram') return href
  return `${href.replace(/\/$/, '')}/bot${target.token}/sendMessage`
}

/** The service's name, followed by the title of the only notice or by the number of notices. */
export function messageTitle({ service, notices }: Message): string {
  const [first] = notices
  const title = notices.length === 1 && first ? first.title : `${notices.length} notices`
  return `${service}: ${title}`
}

/** A message as text: one line per notice, then its origin and time. */
export function messageLines({ atMs, instance, host, notices }: Message): readonly string[] {
  const from = [instance, host].filter((part) => part !== '').join(' on ')
  const date = new Date(atMs).toISOString()
  return [
    ...notices.map((notice) => noticeLine(notice, date)),
    from === '' ? date : `${from}, ${date}`,
  ]
}

/** A notice as text: condition, figure, start, remedy and command. */
function noticeLine(notice: Notice, date: string): string {
  const { title, figure, action, command, sinceMs, state } = notice
  const since = new Date(sinceMs).toISOString()
  const times = state === 'over' ? `It began ${since} and ended ${date}.` : `Since ${since}.`
  const next = command === '' ? '' : `Next: ${command}`
  return [title, figure, times, action, next].filter((part) => part !== '').join(' ')
}
