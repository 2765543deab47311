// The signed-in dashboard: its pages inside the shell.
import { ModalsProvider } from '@mantine/modals'
import { RouterProvider } from 'react-router/dom'
import { router } from './routes.tsx'

export function Dashboard() {
  return (
    <ModalsProvider labels={{ confirm: 'Confirm', cancel: 'Cancel' }}>
      <RouterProvider router={router} />
    </ModalsProvider>
  )
}
