package memory;

import java.sql.*;

class FactRepository {
    private static final String FIND =
        "SELECT f.id, f.data_type FROM entity_facts f WHERE f.id = ?";

    String kind(Connection c, long id) throws SQLException {
        try (PreparedStatement ps = c.prepareStatement(FIND)) {
            ps.setLong(1, id);
            try (ResultSet rs = ps.executeQuery()) {
                return rs.next() ? rs.getString("data_type") : null;
            }
        }
    }
}
