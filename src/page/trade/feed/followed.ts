import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import { NO_READING, type Reading, type Topic, type Watch } from './feed.ts'
import { feed } from './service.ts'

/** Follows whatever topic the moment asks for; null asks for none. */
export function followed(topicOf: () => Topic | null): ReadonlySignal<Reading> {
  const current = signal<Watch | null>(null)
  effect(() => {
    const topic = topicOf()
    const watch = topic && feed.watch(topic)
    current.value = watch
    return watch?.stop
  })
  return computed(() => current.value?.reading.value ?? NO_READING)
}
