import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'
import { carefulPlayer, clumsyPlayer } from './players.ts'
import { READING_TASKS } from './reading.ts'
import type { Task } from './task.ts'
import { TRADING_TASKS } from './trading.ts'

const TASKS = [...READING_TASKS, ...TRADING_TASKS]
const PLAYERS = { careful: carefulPlayer, clumsy: clumsyPlayer }

const OPERATOR_KEY = 'k'.repeat(32)

let service: ToolWorld
beforeAll(async () => {
  service = await openEmbeddedWorld({ OPERATOR_KEY, LIMIT_ADMIN: 'off', OPS_LISTEN: '127.0.0.1:0' })
})
afterAll(() => service.stop())

/** Runs a task with an account of its own. */
async function played(task: Task, name: keyof typeof PLAYERS) {
  const world = await service.another()
  const record = { calls: [], refusals: [] }
  await purgeCache()
  await task.prepare?.(world)
  const prepared = writesOf(world)
  await purgeCache()
  const answer = await task.script(PLAYERS[name](world, record))
  await purgeCache()
  const isDone = await task.check(world, spoken(answer))
  if (READING_TASKS.includes(task)) expect(writesOf(world)).toBe(prepared)
  return { ...record, isDone }
}

/** Makes the next reads the venue's own: cached prices are older than what the tasks before have traded. */
async function purgeCache(): Promise<void> {
  const headers = { authorization: `Bearer ${OPERATOR_KEY}` }
  const { status } = await service.ops('/console/act/purge-cache', { method: 'POST', headers })
  expect(status).toBe(200)
}

function writesOf({ sent }: ToolWorld): number {
  return sent.filter(({ method }) => method !== 'GET').length
}

function spoken(answer: unknown): string {
  return typeof answer === 'object' ? JSON.stringify(answer) : String(answer)
}

test('there are twenty tasks with names of their own', () => {
  expect(new Set(TASKS.map(({ id }) => id)).size).toBe(20)
})

describe('no task is done before anybody has done anything', () => {
  test.each(TASKS.map((task) => [task.id, task] as const))('%s', async (_, task) => {
    const world = await service.another()
    await task.prepare?.(world)
    expect(await task.check(world, 'I do not know.').catch(() => false)).toBe(false)
  })
})

describe('the careful player does every task without a refusal', () => {
  test.each(TASKS.map((task) => [task.id, task] as const))('%s', async (_, task) => {
    expect(await played(task, 'careful')).toMatchObject({ isDone: true, refusals: [] })
  })
})

describe('the clumsy player does every task by following meta alone', () => {
  const refusals: string[] = []

  test.each(TASKS.map((task) => [task.id, task] as const))('%s', async (_, task) => {
    const result = await played(task, 'clumsy')
    refusals.push(...result.refusals)
    expect(result.isDone).toBe(true)
  })

  test('and it was refused often enough, in many ways', () => {
    expect(refusals.length).toBeGreaterThanOrEqual(20)
    expect(new Set(refusals).size).toBeGreaterThanOrEqual(5)
  })
})
