import { isObject } from '../../core/json.ts'
import { programName } from '../../core/program-name.ts'

/** The key in a request's `_meta` with the client's name and version. */
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'

/** The client's own name and version in a message, such as `claude-code/2.1`; null if the message names no client. */
export function clientProgram(message: unknown): string | null {
  const params = isObject(message) ? message['params'] : undefined
  if (!isObject(params)) return null
  const { _meta: meta, clientInfo } = params
  const info = (isObject(meta) ? meta[CLIENT_INFO] : undefined) ?? clientInfo
  if (!isObject(info) || typeof info['name'] !== 'string') return null
  const { name, version } = info
  return programName(typeof version === 'string' ? `${name}/${version}` : name)
}
