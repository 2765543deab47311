// Sends the queries of Home while its code is loaded, if the page opens with it.
import { sendAhead } from '../graph/ahead.ts'
import { createGraphClient } from '../graph/client.ts'
import { homeQuery } from '../pages/home/home-query.ts'
import { messagesQuery } from '../pages/home/messages-query.ts'
import { DEFAULT_RANGE, spanOf } from '../pages/home/range.ts'
import { environmentInAddress, isHomeInAddress } from '../session/address.ts'
import { currentSession, isLive, knownSessions } from '../session/session.ts'

export function sendHomeAhead(): void {
  const slug = environmentInAddress()
  const session = slug === undefined ? currentSession() : knownSessions().find((one) => one.slug === slug)
  if (session === undefined || !isLive(session) || !isHomeInAddress()) return
  const client = createGraphClient(() => session.authorization)
  sendAhead(client, homeQuery, {})
  sendAhead(client, messagesQuery, { ...spanOf(DEFAULT_RANGE, new Date()), filter: null })
}
