const { liveData } = await import('./live.ts')
await liveData()
process.exit(0)
