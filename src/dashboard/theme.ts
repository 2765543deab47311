// The theme of the dashboard: colors with enough contrast, in light and dark.
import { createTheme, type CSSVariablesResolver } from '@mantine/core'

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  // Plain objects, because `extend` of a component would load the component with the sign-in page.
  components: {
    Badge: { defaultProps: { tt: 'none', fw: 500 } },
    // Yellow and green text has too little contrast on its own light shade, so only the icon and the background are
    // colored.
    Alert: { styles: { label: { color: 'var(--mantine-color-text)' } } },
    // Its header would be a second banner of the page.
    Modal: {
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' }, attributes: { header: { role: 'presentation' } } },
    },
    // Without an element that has the focus and is no entry: assistive technology counts everything in a menu.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    // A sentence in one line would be wider than a narrow screen.
    Tooltip: { defaultProps: { multiline: true, maw: 'min(24rem, calc(100vw - 2rem))' } },
  },
})

/** Muted text and placeholders need a ratio of 4.5 to 1 (WCAG 2.2, 1.4.3). */
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': colors.gray[7],
    '--mantine-color-error': colors.red[9],
    '--mantine-color-anchor': colors.indigo[8],
    // The current navigation item, also on hover.
    '--mantine-color-indigo-light-color': colors.indigo[9],
    '--mantine-color-indigo-light-hover': colors.indigo[1],
  },
  dark: {
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-placeholder': colors.dark[1],
    '--mantine-color-error': colors.red[4],
    '--mantine-color-anchor': colors.indigo[3],
  },
})
