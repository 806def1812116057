import { type AnyNode, parse } from 'acorn'
import type { Tree } from './rules.ts'

/** Timers of the runtime, which call whatever they are given. */
const TIMERS = /^(?:setTimeout|setInterval|setImmediate|queueMicrotask)$/
const EMITTERS = /^(?:on|once|addListener|addEventListener)$/
/** Callbacks that a socket or listener of the runtime calls; `fetch` and what it throws have a handler of their own. */
const SOCKET_EVENTS =
  /^(?:open|message|pong|ping|data|drain|end|close|handshake|connectError|timeout)$/
const SOCKET_ONLY = /^(?:open|message|drain|handshake|connectError)$/
/** A file without any of these has nothing to look for. */
const PARSED =
  /set(?:Timeout|Interval|Immediate)|queueMicrotask|\.on(?:ce)?\(|addListener|addEventListener|\.on[a-z]+ = |\.then\(|\.finally\(|async |Bun\.|WebSocketHandler/
/** Where they may stand: the guards themselves, what ends the process, and what only resolves. */
const OWNERS = /^src\/(?:core\/loop\/guarded|main\/crash)\.ts$/

/**
 * Timers, event callbacks and promises that nobody waits for, outside `core/loop/guarded.ts`. What runs in browsers
 * is no part of the process. A socket's handlers are found where their file opens or types sockets.
 */
export function unguarded(tree: Tree): string[] {
  const transpiler = new Bun.Transpiler({ loader: 'ts' })
  return [...tree].flatMap(([path, text]) => {
    if (!/^src\/(?!pages\/).*\.ts$/.test(path) || OWNERS.test(path)) return []
    if (!PARSED.test(text)) return []
    const script = transpiler.transformSync(text)
    const hasSockets = /\b(?:Bun\.(?:Socket|ServerWebSocket|connect|serve)|WebSocketHandler)/.test(
      text,
    )
    const program = parse(script, { ecmaVersion: 'latest', sourceType: 'module' })
    const guards = guardedNames(program)
    const found: string[] = []
    walk(program, (node) => {
      const what = faultOf(node, guards) ?? (hasSockets ? socketFault(node, guards) : null)
      if (what) found.push(`${path}: ${what}`)
    })
    return found
  })
}

function faultOf(node: AnyNode, guards: ReadonlySet<string>): string | null {
  if (node.type === 'CallExpression') return callFault(node, guards)
  if (node.type === 'AssignmentExpression' && node.left.type === 'MemberExpression') {
    const name = nameOf(node.left)
    return /^on[a-z]+$/.test(name) && !isGuarded(node.right, guards) ? `.${name} =` : null
  }
  const dropped =
    node.type === 'ExpressionStatement'
      ? node.expression
      : node.type === 'UnaryExpression' && node.operator === 'void'
        ? node.argument
        : null
  return dropped ? detachedFault(dropped, guards) : null
}

function callFault(
  { callee, arguments: given }: Extract<AnyNode, { type: 'CallExpression' }>,
  guards: ReadonlySet<string>,
): string | null {
  if (callee.type === 'Identifier' && TIMERS.test(callee.name)) return callee.name
  if (callee.type !== 'MemberExpression' || !EMITTERS.test(nameOf(callee))) return null
  const [event, handler] = given
  const isEvent = event?.type === 'Literal' || event?.type === 'Identifier'
  return isEvent && handler && !isGuarded(handler, guards) ? `.${nameOf(callee)}()` : null
}

/** A chain without an end that catches; and a call of a function that is known to answer a promise. */
function detachedFault(node: AnyNode, guards: ReadonlySet<string>): string | null {
  if (node.type !== 'CallExpression') return null
  const { callee, arguments: given } = node
  if (callee.type === 'Identifier') return guards.has(`async ${callee.name}`) ? callee.name : null
  const name = nameOf(callee)
  const isOpen = name === 'finally' || (name === 'then' && given.length < 2)
  return isOpen ? `.${name}()` : null
}

/** A handler of an object that has one only a socket's has. */
function socketFault(node: AnyNode, guards: ReadonlySet<string>): string | null {
  if (node.type !== 'ObjectExpression') return null
  const handlers = node.properties.flatMap((each) =>
    each.type === 'Property' && each.key.type === 'Identifier'
      ? [[each.key.name, each.value] as const]
      : [],
  )
  if (!handlers.some(([name]) => SOCKET_ONLY.test(name))) return null
  const open = handlers.find(
    ([name, value]) =>
      SOCKET_EVENTS.test(name) && /Function/.test(value.type) && !isGuarded(value, guards),
  )
  return open ? `${open[0]}:` : null
}

function isGuarded(node: AnyNode, guards: ReadonlySet<string>): boolean {
  if (node.type === 'Identifier') return guards.has(node.name)
  return (
    node.type === 'CallExpression' &&
    node.callee.type === 'Identifier' &&
    node.callee.name === 'guarded'
  )
}

/** Names of what `guarded` made, and, after `async `, of the file's own functions that answer promises. */
function guardedNames(program: AnyNode): ReadonlySet<string> {
  const names = new Set<string>()
  walk(program, (node) => {
    if (node.type === 'FunctionDeclaration' && node.async) names.add(`async ${node.id?.name}`)
    if (node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier' || !node.init) return
    if (isGuarded(node.init, names)) names.add(node.id.name)
    if (node.init.type === 'ArrowFunctionExpression' && node.init.async)
      names.add(`async ${node.id.name}`)
  })
  return names
}

function nameOf(node: AnyNode): string {
  const isNamed = node.type === 'MemberExpression' && node.property.type === 'Identifier'
  return isNamed && !node.computed ? Object(node.property).name : ''
}

/** Calls `enter` for each node of a syntax tree, the outer ones first. */
export function walk(node: unknown, enter: (node: AnyNode) => void): void {
  if (Array.isArray(node)) for (const each of node) walk(each, enter)
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return
  if ('type' in node && typeof node.type === 'string') enter(node as AnyNode)
  for (const each of Object.values(node)) walk(each, enter)
}
