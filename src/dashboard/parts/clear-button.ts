// The button that clears a field. By default, the library hides it from keyboards and screen readers.

export const clearButton = (label: string) => ({ 'aria-label': label, 'aria-hidden': false, tabIndex: 0 })
