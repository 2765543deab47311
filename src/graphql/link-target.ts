// Where a browser opens a link of a notification.
import type { LinkTargetWord } from '../domain/channel/channel.ts'
import { builder } from './schema/builder.ts'

export const LinkTarget = builder.enumType('LinkTarget', {
  description: 'Where a browser opens a link, as the attribute `target` of HTML.',
  values: {
    SELF: { value: '_self', description: 'The current browsing context.' },
    BLANK: { value: '_blank', description: 'A new tab or window.' },
    PARENT: { value: '_parent', description: 'The parent of the current browsing context.' },
    TOP: { value: '_top', description: 'The topmost browsing context.' },
    UNFENCED_TOP: { value: '_unfencedTop', description: 'The topmost browsing context around a fenced frame.' },
  } as const satisfies Record<string, { value: LinkTargetWord; description: string }>,
})
