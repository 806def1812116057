import { readExact } from '../../common/exact-json.ts'
import { createLiveConnection, type LiveConnection } from './live.ts'
import type { LiveEnvironment, LiveWire, WireEvents } from './live-state.ts'

/** Opens the server's live data. */
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
      // A text that is not a message is treated as a lost connection.
      socket.close()
      end()
    }
  }
  return {
    send: (message) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
    },
    close: () => {
      // A browser logs an error for a socket that is closed before it is open, so that one is closed once it is open.
      if (socket.readyState !== WebSocket.CONNECTING) socket.close()
      // A close handshake without an answer takes long.
      end()
    },
  }
}

/** Live data over this server's WebSocket. */
export function openLiveConnection(parts: Omit<LiveEnvironment, 'openWire'>): LiveConnection {
  return createLiveConnection({ ...parts, openWire })
}
