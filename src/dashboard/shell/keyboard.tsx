// What the keyboard does on every page: the palette, the list of keys, and where the focus goes. With the button that
// opens the palette.
import { ActionIcon, Button, Kbd } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useUndoKey } from '../parts/undo.tsx'
import { focusPage, isFocusLost, useFocusReturn } from './focus-return.ts'
import { commandKey, useShortcuts } from './shortcuts.ts'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const KeysDialog = lazy(async () => ({ default: (await import('./keys-dialog.tsx')).KeysDialog }))

/** @param pathname the path of the current page */
export function Keyboard({ pathname }: { readonly pathname: string }) {
  const [dialog, setDialog] = useState<'search' | 'keys'>()
  const close = () => setDialog(undefined)
  const openSearch = () => setDialog('search')
  useShortcuts(openSearch, () => setDialog('keys'))
  useFocusReturn()
  useUndoKey()

  // The focused control may be gone with the page before, such as the button of a dialog that created something.
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current !== pathname && isFocusLost()) focusPage()
    shown.current = pathname
  }, [pathname])

  return (
    <>
      <Button
        variant="default"
        visibleFrom="sm"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={
          <Kbd size="xs" aria-hidden>
            {commandKey} K
          </Kbd>
        }
        onClick={openSearch}
      >
        Search
      </Button>
      <ActionIcon variant="default" size="lg" hiddenFrom="sm" aria-label="Search" onClick={openSearch}>
        <IconSearch size={18} aria-hidden />
      </ActionIcon>
      <Suspense>
        {dialog === 'search' && <Palette onClose={close} />}
        {dialog === 'keys' && <KeysDialog onClose={close} />}
      </Suspense>
    </>
  )
}
