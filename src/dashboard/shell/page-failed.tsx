// The page for a defect of the dashboard, or for a page whose files could not be loaded.
import { isRouteErrorResponse, useRouteError } from 'react-router'
import { Loading } from '../parts/loading.tsx'
import { Failed } from './failed.tsx'

export function PageFailed() {
  const error = useRouteError()
  // The address is of another environment, which opens next: the router has a page for every other address.
  return isRouteErrorResponse(error) ? <Loading /> : <Failed error={error} />
}
