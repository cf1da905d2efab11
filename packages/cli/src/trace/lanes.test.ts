import { describe, expect, it } from "vitest";
import { styleOf } from "../terminal/style.ts";
import { Lanes } from "./lanes.ts";

function lanes(count: number): Lanes {
  const made = new Lanes(styleOf(false));
  for (let number = 1; number <= count; number++) made.open(`c${number}`, number);
  return made;
}

describe("Lanes", () => {
  it("has room for two calls from the start", () => {
    expect(lanes(0).draw()).toBe("    ");
    expect(lanes(2).draw()).toBe("│ │ ");
  });

  it("marks the call that a line is about", () => {
    const two = lanes(2);
    expect(two.draw("c1")).toBe("1 │ ");
    expect(two.draw("c2")).toBe("│ 2 ");
    expect(two.draw("c2", "└")).toBe("│ └ ");
    expect(two.draw("unknown")).toBe("│ │ ");
  });

  it("gives a free lane to the next call, and keeps the others where they are", () => {
    const three = lanes(3);
    three.close("c1");
    expect(three.draw("c2")).toBe("  2 │ ");
    three.open("c4", 4);
    expect(three.draw("c4")).toBe("4 │ │ ");
    expect(three.width).toBe(6);
  });

  it("does not become narrower again", () => {
    const three = lanes(3);
    three.close("c3");
    expect(three.width).toBe(6);
    expect(three.draw()).toBe("│ │   ");
  });

  it("lets calls share the last lane when there are too many", () => {
    const many = lanes(40);
    expect(many.width).toBe(16);
    expect(many.draw("c1")).toBe("1 │ │ │ │ │ │ │ ");
    expect(many.draw("c40")).toBe("│ │ │ │ │ │ │ 40");
    expect(many.draw("c8")).toBe("│ │ │ │ │ │ │ 8 ");
  });
});
