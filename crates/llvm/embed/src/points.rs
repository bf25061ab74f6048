//! Points of one width, and distances between them.

use crate::lanes;

/// Points in a space, one row each.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    width: usize,
    values: Vec<f32>,
}

impl Points {
    /// No points, of a width of at least 1.
    pub fn new(width: usize) -> Points {
        Points { width: width.max(1), values: Vec::new() }
    }

    /// So many points at the origin.
    pub fn origins(width: usize, len: usize) -> Points {
        let width = width.max(1);
        Points { width, values: vec![0.0; width * len] }
    }

    /// Adds a point. What is not a finite number counts as 0, what is missing too, and what is too much is cut:
    /// no arithmetic here can then come to "not a number".
    pub fn push(&mut self, row: &[f32]) {
        let finite = |&value: &f32| if value.is_finite() { value } else { 0.0 };
        self.values.extend(row.iter().take(self.width).map(finite));
        let missing = self.width.saturating_sub(row.len());
        self.values.extend(std::iter::repeat_n(0.0, missing));
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.values.len() / self.width
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Number of coordinates.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The coordinates of a point.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn row(&self, point: usize) -> &[f32] {
        &self.values[point * self.width..][..self.width]
    }

    /// All points in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(self.width)
    }

    /// The mean of all points; the origin if there are none.
    pub fn mean(&self) -> Vec<f32> {
        let mut sum = vec![0.0f64; self.width];
        for row in self.rows() {
            lanes::add(&mut sum, row);
        }
        let len = self.len().max(1) as f64;
        sum.into_iter().map(|s| (s / len) as f32).collect()
    }

    /// The squared distance from a point to somewhere.
    pub fn distance2(&self, point: usize, to: &[f32]) -> f32 {
        lanes::distance2(self.row(point), to)
    }
}

#[cfg(test)]
mod tests {
    use super::Points;

    #[test]
    fn rows_have_one_width_and_are_finite() {
        let mut points = Points::new(2);
        points.push(&[1.0, 2.0]);
        points.push(&[f32::NAN, 3.0]);
        points.push(&[1.0]);
        points.push(&[0.0, -5.0, 9.0]);
        let rows: Vec<&[f32]> = points.rows().collect();
        assert_eq!(rows, [[1.0, 2.0], [0.0, 3.0], [1.0, 0.0], [0.0, -5.0]]);
        assert_eq!(points.mean(), [0.5, 0.0]);
        assert_eq!(points.distance2(0, &[4.0, 6.0]), 25.0);
        assert_eq!(Points::new(0).width(), 1);
        assert_eq!(Points::new(3).mean(), [0.0; 3]);
    }
}
