// The texts of the public pages. Each language is one file with all of them.
import type { Channel } from '../../data/prisma/enums.ts'

/** The title of a page, and a sentence below it. */
export interface Notice {
  readonly title: string
  readonly text: string
}

export interface Texts {
  readonly direction: 'ltr' | 'rtl'
  /** The names of channels. */
  readonly channels: Readonly<Record<Channel, string>>
  /** The channels as parts of sentences: how a message arrives. */
  readonly by: Readonly<Record<Channel, string>>
  readonly unsubscribe: string
  /** @param name of the workflow or the category. */
  readonly ask: (name: string, by: string) => string
  readonly askAll: (by: string) => string
  readonly done: { readonly title: string; readonly about: (name: string, by: string) => string }
  readonly doneAll: (by: string) => string
  /** To somebody to whom nothing is sent any more. */
  readonly doneForGood: string
  readonly mistake: string
  readonly undo: string
  readonly undone: { readonly title: string; readonly about: (name: string, by: string) => string }
  readonly undoneAll: (by: string) => string
  readonly allPreferences: string
  readonly preferences: Notice
  readonly everything: string
  readonly others: string
  /** The summary of the list of a category's messages. */
  readonly single: string
  readonly always: Notice
  readonly nothing: string
  readonly save: string
  readonly saved: string
  readonly turnOff: string
  readonly turnOn: string
  /** While everything is off. */
  readonly isOff: string
  readonly example: Notice
  readonly invalid: Notice
  readonly tooMany: Notice
  /** A request that no button of a page sends. */
  readonly unknown: Notice
  readonly unavailable: Notice
}
