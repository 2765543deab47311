// Starts GraphiQL.
import 'graphiql/setup-workers/vite'
import 'graphiql/style.css'
import './graphiql.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { addExamples } from './examples.ts'
import { SessionGate } from './session-gate.tsx'

addExamples()
const root = document.getElementById('graphiql')
if (root === null) throw new Error('the page has no element with the id graphiql')
createRoot(root).render(
  <StrictMode>
    <SessionGate />
  </StrictMode>,
)
