/** An item that can be dragged vertically in an element; `y` is measured in pixels from the element's top. */
type Draggable = {
  readonly canTake: (y: number, reachPx: number) => boolean
  readonly take: (y: number, reachPx: number) => void
  readonly follow: (y: number) => void
  /** Gets the `y` of the release; null if the pointer did not move or the drag was cancelled. */
  readonly drop: (y: number | null) => void
}

/** Maximum distance between pointer and item to start a drag, and minimum movement that counts as a drag. */
const REACH_PX = { mouse: 5, touch: 14 } as const
const MOVED_PX = 3

/** Makes an item draggable by mouse or finger; Escape cancels the drag. Returns a function that removes the listeners. */
export function dragOn(element: HTMLElement, { canTake, take, follow, drop }: Draggable) {
  let fromY: number | null = null
  const end = new AbortController()
  const { signal } = end
  const pointerY = ({ clientY }: PointerEvent) => clientY - element.getBoundingClientRect().top
  const pointerReach = ({ pointerType }: PointerEvent) =>
    pointerType === 'touch' ? REACH_PX.touch : REACH_PX.mouse

  function begin(event: PointerEvent): void {
    const [y, reach] = [pointerY(event), pointerReach(event)]
    if (!event.isPrimary || event.button !== 0 || !canTake(y, reach)) return
    fromY = y
    element.setPointerCapture(event.pointerId)
    element.classList.add('holds')
    take(y, reach)
  }

  function move(event: PointerEvent): void {
    if (fromY !== null) follow(pointerY(event))
    else element.classList.toggle('grabs', canTake(pointerY(event), pointerReach(event)))
  }

  function finish(y: number | null): void {
    if (fromY === null) return
    const isMoved = y !== null && Math.abs(y - fromY) > MOVED_PX
    fromY = null
    element.classList.remove('holds')
    drop(isMoved ? y : null)
  }

  element.addEventListener('pointerdown', begin, { signal, capture: true })
  element.addEventListener('pointermove', move, { signal })
  element.addEventListener('pointerup', (event) => finish(pointerY(event)), { signal })
  element.addEventListener('pointercancel', () => finish(null), { signal })
  // Prevents the page from scrolling during a touch drag.
  const still = (event: TouchEvent) => fromY !== null && event.preventDefault()
  element.addEventListener('touchmove', still, { signal, passive: false })
  document.addEventListener('keydown', ({ key }) => key === 'Escape' && finish(null), { signal })
  return () => end.abort()
}
