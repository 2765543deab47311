// The signed-in dashboard: its pages inside the shell.
import { ModalsProvider } from '@mantine/modals'
import { RouterProvider } from 'react-router/dom'
import { ComingPage } from '../parts/list/coming-page.ts'
import { router } from './routes.tsx'

const comingPage = () => router.state.navigation.location?.pathname

export function Dashboard() {
  return (
    <ModalsProvider labels={{ confirm: 'Confirm', cancel: 'Cancel' }}>
      <ComingPage value={comingPage}>
        <RouterProvider router={router} />
      </ComingPage>
    </ModalsProvider>
  )
}
