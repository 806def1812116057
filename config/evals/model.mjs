// An agent for `prepd --mode admin eval run` that asks a model: any host with the chat completions of OpenAI, such as
// Ollama, llama.cpp, vLLM or LM Studio on this machine. Nothing to install: Node.js 20 or later, or Bun.
//
//   MODEL_URL   where the host's API begins; http://127.0.0.1:11434/v1 (Ollama) by default
//   MODEL_NAME  the model, such as qwen3:8b
//   MODEL_KEY   its bearer token, where it needs one
import { createInterface } from 'node:readline'

const { MODEL_URL = 'http://127.0.0.1:11434/v1', MODEL_NAME = 'qwen3:8b', MODEL_KEY } = process.env
/** Messages that the model sees beside its task; older ones are left out. */
const MESSAGES_MAX = 60
const ANSWER_MAX_MS = 120_000

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
let ids = 0

/** Sends a request of MCP. Answers its result, or exits when the time of the evaluation is over. */
async function request(method, params) {
  ids += 1
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: ids, method, params })}\n`)
  const { value, done } = await lines.next()
  if (done) process.exit(0)
  const { result, error } = JSON.parse(value)
  return result ?? { content: [{ text: JSON.stringify(error) }] }
}

/** Asks the model for its next message. */
async function ask(messages, tools) {
  const response = await fetch(`${MODEL_URL}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(MODEL_KEY && { authorization: `Bearer ${MODEL_KEY}` }),
    },
    body: JSON.stringify({ model: MODEL_NAME, temperature: 0, seed: 1, messages, tools }),
    signal: AbortSignal.timeout(ANSWER_MAX_MS),
  })
  if (!response.ok) throw new Error(`the model's host answered with status ${response.status}`)
  const { choices } = await response.json()
  return choices[0].message
}

/** Makes a call that the model wants; the model is told of arguments that are no JSON, and any other error ends this agent. */
async function answerTo({ id, function: { name, arguments: text } }) {
  const answer = (content) => ({ role: 'tool', tool_call_id: id, content })
  let given
  try {
    given = JSON.parse(text || '{}')
  } catch (error) {
    return answer(`The arguments are no JSON: ${error.message}`)
  }
  const { content } = await request('tools/call', { name, arguments: given })
  return answer(content[0].text)
}

/**
 * The newest messages, from one of the model on: an answer of a tool stands behind the call that it answers. The answers to
 * the last message of the model are never left out, however many they are.
 */
function newest(messages) {
  const from = messages.length - MESSAGES_MAX
  const begin = messages.findIndex(({ role }, at) => at >= from && role === 'assistant')
  return messages.slice(begin >= 0 ? begin : messages.findLastIndex(({ role }) => role === 'assistant'))
}

const { instructions } = await request('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'model', version: '1' },
})
const tools = (await request('tools/list', {})).tools.map(({ name, description, inputSchema }) => ({
  type: 'function',
  function: { name, description, parameters: inputSchema },
}))
const minutes = Number(process.env.PREPD_EVAL_LENGTH_MS) / 60_000
const task = `${process.env.PREPD_EVAL_TASK} You have ${minutes} minutes of venue time. No person can answer you. When nothing is left to do, answer without a tool call.`
const beginning = [
  { role: 'system', content: instructions },
  { role: 'user', content: task },
]

const messages = []
for (;;) {
  const message = await ask([...beginning, ...newest(messages)], tools)
  messages.push(message)
  if (!message.tool_calls?.length) break
  for (const call of message.tool_calls) messages.push(await answerTo(call))
}
process.exit(0)
