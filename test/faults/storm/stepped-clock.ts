/** Loaded into an executable before its own code: its wall clock is off by the milliseconds that a file holds. */
const bytes = Bun.mmap(process.env['STEP_FILE'] ?? '', { shared: true })
const step = new DataView(bytes.buffer, bytes.byteOffset, Float64Array.BYTES_PER_ELEMENT)
const nowMs = Date.now
Date.now = () => nowMs() + step.getFloat64(0, true)
