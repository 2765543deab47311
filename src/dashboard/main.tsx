// Starts the dashboard. Imports the sign-in code first, so that the code is removed from the address before the router
// reads the path.
import './session/sign-in-code.ts'
import './styles.css'
import '@mantine/notifications/styles.css'
import './dashboard.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { nonce } from './parts/nonce.ts'
import { SessionGate } from './shell/session-gate.tsx'
import { cssVariables, theme } from './theme.ts'

// Dialogs insert a style that stops the page behind them from scrolling.
if (nonce !== undefined) setNonce(nonce)

const root = document.getElementById('dashboard')
if (root === null) throw new Error('the page has no element with the id dashboard')
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce ?? ''}
    >
      <Notifications position="bottom-right" />
      <SessionGate />
    </MantineProvider>
  </StrictMode>,
)
