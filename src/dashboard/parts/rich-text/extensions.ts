// The schema and the keys of the rich-text editor: what HTML of an email it has.
import { type Extensions, mergeAttributes, Node } from '@tiptap/core'
import { ListItem } from '@tiptap/extension-list'
import StarterKit from '@tiptap/starter-kit'
import { imageAddressError, isLinkAddress } from './address.ts'
import { BUTTON_BACKGROUND, isColor, textColorOn } from './button-style.ts'
import { LiquidMarks } from './liquid-marks.ts'
import { imageAttributes, textAttribute } from './rich-document.ts'

/** Items contain text and lists. Tab leaves the editor, as every other field, so that other keys indent. */
const Item = ListItem.extend({
  content: 'paragraph (paragraph | bulletList | orderedList)*',
  addAttributes: () => ({
    /** True if its first line is a paragraph, with a margin. */
    spaced: { default: false, rendered: false },
  }),
  addKeyboardShortcuts() {
    return {
      Enter: () => this.editor.commands.splitListItem(this.name),
      'Mod-]': () => this.editor.commands.sinkListItem(this.name),
      'Mod-[': () => this.editor.commands.liftListItem(this.name),
    }
  },
})

const hidden = { rendered: false }

/** An image by its address. It is shown as its name, because the policy of the page loads nothing from other hosts. */
const Image = Node.create({
  name: 'image',
  group: 'inline',
  inline: true,
  draggable: true,
  addAttributes: () => Object.fromEntries(imageAttributes.map((name) => [name, { default: null }])),
  parseHTML: () => [
    // Of pictures in what is pasted, only those that an email can load.
    { tag: 'img[src]', getAttrs: (image) => imageAddressError(image.getAttribute('src') ?? '') === null && null },
    { tag: 'span[data-image][src]' },
  ],
  renderHTML({ node, HTMLAttributes }) {
    const alt = textAttribute(node, 'alt') ?? ''
    const name = alt === '' ? (textAttribute(node, 'src') ?? '') : alt
    return ['span', mergeAttributes(HTMLAttributes, { 'data-image': '' }), `Image: ${name}`]
  },
})

/** A link that looks like a button, alone in its paragraph. */
const Button = Node.create({
  name: 'button',
  group: 'block',
  content: 'text*',
  marks: '',
  addAttributes: () => ({ href: { default: '', ...hidden }, background: { default: BUTTON_BACKGROUND, ...hidden } }),
  parseHTML: () => [
    {
      tag: 'div[data-button]',
      getAttrs(element) {
        const { href = '', background = '' } = element.dataset
        return isColor(background) && isLinkAddress(href) && { href, background }
      },
    },
  ],
  renderHTML({ node }) {
    const href = textAttribute(node, 'href') ?? ''
    const background = textAttribute(node, 'background') ?? BUTTON_BACKGROUND
    const style = `background-color: ${background}; color: ${textColorOn(background)}`
    return ['div', { 'data-button': '', 'data-href': href, 'data-background': background }, ['span', { style }, 0]]
  },
})

export const extensions: Extensions = [
  StarterKit.configure({
    code: false,
    codeBlock: false,
    dropcursor: false,
    listItem: false,
    // An email that ends with a list must not get an empty paragraph.
    trailingNode: false,
    link: {
      autolink: false,
      openOnClick: false,
      HTMLAttributes: { target: null, rel: null },
      isAllowedUri: (address) => isLinkAddress(address),
    },
  }),
  Item,
  Image,
  Button,
  LiquidMarks,
]
