import { render } from 'preact'
import { startTheme } from '../shared/theme.ts'
import { App } from './app.tsx'
import { startBeat } from './state.ts'

startTheme()
startBeat()

const root = document.getElementById('root')
if (root) render(<App />, root)
