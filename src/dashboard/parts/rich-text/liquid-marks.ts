// Shows which parts of the text are Liquid. Their text is not changed.
import { Extension } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'
import { Plugin } from '@tiptap/pm/state'
import { Decoration, DecorationSet } from '@tiptap/pm/view'
import { liquidIn } from './liquid-text.ts'

function decorationsOf(document: Node): DecorationSet {
  const found: Decoration[] = []
  document.descendants((node, start) => {
    if (!node.isTextblock) return true
    // Anything that is not text, such as an image, has the length 1.
    const text = node.textBetween(0, node.content.size, undefined, '\ufffc')
    for (const { from, to } of liquidIn(text)) {
      found.push(Decoration.inline(start + 1 + from, start + 1 + to, { 'data-liquid': '' }))
    }
    return false
  })
  return DecorationSet.create(document, found)
}

export const LiquidMarks = Extension.create({
  name: 'liquidMarks',
  addProseMirrorPlugins: () => [
    new Plugin<DecorationSet>({
      state: {
        init: (_, { doc }) => decorationsOf(doc),
        apply: (transaction, before) => (transaction.docChanged ? decorationsOf(transaction.doc) : before),
      },
      props: {
        decorations(state) {
          return this.getState(state)
        },
      },
    }),
  ],
})
