// The look of the inbox. Pages change it with the custom properties that begin with --inbox-.
import { css } from 'lit'
import { listStyles } from './list-styles.ts'

const frame = css`
  :host {
    --accent: var(--inbox-accent, #3b5bdb);
    --on-accent: var(--inbox-on-accent, #fff);
    --background: var(--inbox-background, light-dark(#fff, #242424));
    --color: var(--inbox-color, light-dark(#1f2328, #e6e6e6));
    --muted: var(--inbox-muted, color-mix(in srgb, var(--color) 75%, var(--background)));
    --border: var(--inbox-border, color-mix(in srgb, var(--color) 18%, var(--background)));
    --hover: var(--inbox-hover, color-mix(in srgb, var(--color) 6%, var(--background)));
    --link: var(--inbox-link, var(--color));
    --radius: var(--inbox-radius, 8px);
    --width: var(--inbox-width, 380px);
    --height: var(--inbox-height, 480px);
    /* Nothing that the page sets for its own text. Its language, its color scheme and what it hides remain. */
    all: initial;
    color-scheme: inherit;
    visibility: inherit;
    pointer-events: inherit;
    display: inline-block;
    position: relative;
    font: var(--inbox-font, 14px / 1.45 system-ui, sans-serif);
    color: var(--color);
  }

  :host([hidden]) {
    display: none;
  }

  /* Black or white, by the contrast with the accent. */
  @supports (color: color(from red xyz x y z)) {
    :host {
      --light: clamp(0, (0.18 - y) * 1e6, 1);
      --on-accent: var(
        --inbox-on-accent,
        color(from var(--accent) xyz calc(0.9505 * var(--light)) var(--light) calc(1.089 * var(--light)))
      );
    }
  }

  button {
    font: inherit;
    color: inherit;
    background: none;
    border: 0;
    border-radius: var(--radius);
    padding: 4px 8px;
    cursor: pointer;
  }

  button:hover {
    background: var(--hover);
  }

  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 1px;
  }

  .bell {
    position: relative;
    padding: 8px;
    line-height: 0;
  }

  .count {
    position: absolute;
    top: 0;
    inset-inline-end: 0;
    min-width: 16px;
    padding: 0 4px;
    border-radius: 9px;
    background: var(--accent);
    color: var(--on-accent);
    font-size: 11px;
    line-height: 18px;
    text-align: center;
  }

  .spoken {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }

  .panel {
    position: absolute;
    inset-inline-end: 0;
    z-index: var(--inbox-z-index, 1000);
    display: flex;
    flex-direction: column;
    width: min(var(--width), calc(100vw - 16px));
    height: min(var(--height), 80vh);
    box-sizing: border-box;
    margin-top: 4px;
    background: var(--background);
    border: 1px solid var(--border);
    border-radius: var(--radius);
    box-shadow: 0 8px 24px rgb(0 0 0 / 16%);
  }

  .panel.other-side {
    inset-inline: 0 auto;
  }

  .panel[popover] {
    padding: 0;
    overflow: visible;
    color: inherit;
  }

  /* In the top layer, panel-layer.ts knows where the bell is. */
  .panel:popover-open {
    position: fixed;
    inset: var(--top, 0) auto auto var(--left, 0);
    margin: 0;
  }

  @media (max-width: 480px) {
    .panel,
    .panel.other-side {
      position: fixed;
      inset: auto 8px 8px;
      width: auto;
    }

    /* A rule of its own, because a browser ignores a whole rule with a selector that it does not know. */
    .panel:popover-open {
      inset: auto 8px 8px;
    }
  }

  header,
  .filters {
    display: flex;
    align-items: center;
    gap: 4px;
    padding: 8px 12px;
    border-bottom: 1px solid var(--border);
  }

  h2 {
    flex: 1;
    margin: 0;
    font-size: 1.1em;
  }

  .filters {
    flex-wrap: wrap;
  }

  .filters [aria-pressed='true'] {
    background: var(--hover);
    font-weight: 600;
  }

  .filters .end {
    margin-inline-start: auto;
  }

  .scroll {
    flex: 1;
    overflow: auto;
  }

  @media (prefers-reduced-motion: no-preference) {
    button {
      transition: background 0.1s;
    }
  }
`

export const styles = [frame, listStyles]
