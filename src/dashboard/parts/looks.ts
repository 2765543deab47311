// The looks of components of the library, for plain elements. A component takes several times as long to render as an
// element, and links, cells, times and states stand on a page by the dozen.
import { Anchor, Badge, NavLink, Table, Text, UnstyledButton } from '@mantine/core'

const FOCUS_RING = 'mantine-focus-auto'

/** Joins names of classes. The library has one for each part of a component. */
const look = (...classes: readonly (string | undefined)[]): string => classes.join(' ')

/** `Text`. With the attribute `data-inherit`, its size is that of the text around it. */
export const textLook = look(FOCUS_RING, Text.classes['root'])

/** `Anchor`. The attribute `data-underline` is `hover` or `always`. */
export const anchorLook = look(textLook, Anchor.classes['root'])

/** `NavLink`. */
export const navLinkLook = {
  root: look(FOCUS_RING, NavLink.classes['root'], UnstyledButton.classes['root']),
  section: look(NavLink.classes['section']),
  body: look(NavLink.classes['body']),
  label: look(NavLink.classes['label']),
}

/** `Badge` with the variant `dot`. */
export const dotLook = {
  root: look(Badge.classes['root'], Badge.classes['root--dot']),
  label: look(Badge.classes['label']),
}

/** A row and a cell of `Table`. In the cell, times have room to age (dashboard.css). */
export const rowLook = look(Table.classes['tr'])
export const cellLook = look(Table.classes['td'], 'row-cell')
