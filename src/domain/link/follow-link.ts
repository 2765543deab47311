// Unsubscribes by a link in a message, and subscribes again.
import { z } from 'zod'
import { changePreference } from '../preference/change-preference.ts'
import { mutation } from '../resolver/resolver.ts'
import type { OpenedLink } from './link-caller.ts'
import { ownerOf, readReader, readSubject } from './link-page.ts'

/**
 * Turns the channel of a message off, or on again, for what its link is about. A request that changes nothing is recorded
 * nowhere.
 *
 * @returns what the page shows afterwards.
 */
export const followLink = mutation({
  name: 'preference.followLink',
  permission: 'preference:write',
  owner: 'caller',
  input: z.object({
    link: z.custom<OpenedLink>(),
    isOn: z.boolean(),
    source: z.enum(['one_click', 'preference_page']),
  }),
  async run(scope, { link, isOn, source }) {
    const reader = await readReader(scope)
    const subject = await readSubject(scope, link)
    if (subject === undefined) return { reader, subject }
    const { kind, id, channel } = subject
    const about = { workflow: { workflowId: id }, category: { categoryId: id }, all: {} }[kind]
    const origin = { source, deliveryId: link.deliveryId }
    await changePreference(scope, ownerOf(scope), { ...about, channels: { [channel]: isOn } }, origin)
    return { reader, subject: { ...subject, isOff: !isOn } }
  },
})
