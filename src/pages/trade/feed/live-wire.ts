import { readExact } from '../../common/exact-json.ts'
import { createLiveConnection, type LiveConnection } from './live.ts'
import type { LiveEnvironment, LiveWire, WireEvents } from './live-state.ts'

/** Opens the WebSocket of the server's live data. */
function openWire({ onOpen, onMessage, onEnd }: WireEvents): LiveWire {
  const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/api/prep/ws`)
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    onEnd()
  }
  socket.onopen = () => {
    if (isOver) socket.close()
    else onOpen()
  }
  socket.onclose = end
  socket.onmessage = ({ data }) => {
    if (isOver) return
    try {
      onMessage(readExact(String(data)))
    } catch {
      // An invalid message is treated like a lost connection.
      socket.close()
      end()
    }
  }
  return {
    send: (message) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
    },
    close: () => {
      // Closing a connecting socket would log an error, so `onopen` closes it.
      if (socket.readyState !== WebSocket.CONNECTING) socket.close()
      // The connection counts as ended at once, because an unanswered close handshake takes long.
      end()
    },
  }
}

/** Live data over this server's WebSocket. */
export function openLiveConnection(parts: Omit<LiveEnvironment, 'openWire'>): LiveConnection {
  return createLiveConnection({ ...parts, openWire })
}
