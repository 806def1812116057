import { type Message, NOTIFY_LIMITS } from '../../contract/operator/notify.ts'
import { isLoopbackUrl, withoutBrackets } from '../../core/base-url.ts'
import { reportUnexpected, systemErrorCode } from '../../core/loop/guarded.ts'
import type { MailTarget } from './config.ts'
import { messageLines, messageTitle } from './message.ts'

/**
 * Sends a message by SMTP, encrypted unless the server is on this machine. Returns null if the server accepted it,
 * otherwise the fault: `smtp_` and the server's status, `timeout` or `unreachable`.
 */
export async function mailFault(target: MailTarget, message: Message): Promise<string | null> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport(mailServerOptions(target.url))
  try {
    await transport.sendMail(toMail(target, message))
    return null
  } catch (error) {
    reportUnexpected('process', error, Error)
    return faultIn(error)
  } finally {
    transport.close()
  }
}

/** The connection options for a mail server: `smtp:` uses STARTTLS, `smtps:` uses TLS from the first byte. */
function mailServerOptions(url: URL) {
  const { hostname, port, protocol, username, password } = url
  const secure = protocol === 'smtps:'
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  return {
    host: withoutBrackets(hostname),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && !isLoopbackUrl(url),
    ...(username !== '' && { auth }),
    connectionTimeout: NOTIFY_LIMITS.deadlineMs,
    greetingTimeout: NOTIFY_LIMITS.deadlineMs,
    socketTimeout: NOTIFY_LIMITS.deadlineMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** The mail for a message. Every attempt has the same Message-ID, so that mail clients show it once. */
function toMail({ from, to }: MailTarget, message: Message) {
  const { id, atMs } = message
  return {
    from,
    to: [...to],
    subject: messageTitle(message),
    text: `${messageLines(message).join('\n\n')}\n`,
    date: new Date(atMs),
    messageId: `<${id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    headers: { 'auto-submitted': 'auto-generated' },
  }
}

function faultIn(error: unknown): string {
  const status = error instanceof Error && 'responseCode' in error ? error.responseCode : undefined
  if (typeof status === 'number') return `smtp_${status}`
  return systemErrorCode(error) === 'ETIMEDOUT' ? 'timeout' : 'unreachable'
}
