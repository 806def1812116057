import { afterAll, afterEach, beforeAll } from 'bun:test'
import { type Desk, type DeskOptions, openDesk } from './desk.ts'
import { openStage, type Stage } from './stage.ts'

/** One stage for the tests of a file, and desks that close with each test. */
export function onStage() {
  let opened: Stage | undefined
  const desks: Desk[] = []

  function stage(): Stage {
    if (!opened) throw new Error('the stage is not open')
    return opened
  }

  function open(options?: DeskOptions): Desk {
    const desk = openDesk(stage(), options)
    desks.push(desk)
    return desk
  }

  beforeAll(async () => {
    opened = await openStage()
  })
  afterEach(() => {
    for (const desk of desks.splice(0)) desk.close()
    for (const endpoint of stage().endpoints) endpoint.meddle(null)
  })
  afterAll(async () => {
    await opened?.stop()
  })
  return { stage, open }
}
