import './language.ts'
import { render } from 'preact'
import { startTheme } from '../common/theme.ts'
import { ConsoleApp } from './app.tsx'
import { startPolling } from './state.ts'

startTheme()
startPolling()

const root = document.getElementById('root')
if (root) render(<ConsoleApp />, root)
