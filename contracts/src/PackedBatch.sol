// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Reads the packed batches of `issue` and `redeem` (see IEMoneyToken)
/// @dev Every function reads at a position and returns the next one. The first to read beyond the end reverts.
library PackedBatch {
    /// @dev First sequence number (8 bytes), number of items (2).
    uint256 private constant RUN_HEADER = 10;

    /// @dev Order id (16 bytes), account (20), minor units (8).
    uint256 internal constant ITEM = 44;

    /// @dev Length of the message (2 bytes), length of the signature (2).
    uint256 private constant LENGTHS = 4;

    /// @dev Bytes. No message that makes sense is longer, and the length has at most three digits.
    uint256 private constant MAX_MESSAGE = 999;

    /// @notice The batch ends in the middle of an item, or has a message of more than 999 bytes or a sequence number of more than 64 bits.
    error MalformedBatch();

    /// @notice Reads the header of a run of issue items. Checks that all its items are there and that their sequence numbers have 64 bits.
    function readRun(bytes calldata batch, uint256 position) internal pure returns (uint256 first, uint256 count, uint256 next) {
        unchecked {
            next = position + RUN_HEADER;
            uint256 header = uint256(_word(batch, position));
            first = header >> 192;
            count = uint16(header >> 176);
            if (next + count * ITEM > batch.length || first + count > 1 << 64) revert MalformedBatch();
        }
    }

    /// @notice Reads what issue and redeem items have in common. Does not look at the end of the batch.
    function readItem(bytes calldata batch, uint256 position)
        internal
        pure
        returns (bytes16 orderId, address account, uint256 minorUnits)
    {
        unchecked {
            orderId = bytes16(_word(batch, position));
            uint256 rest = uint256(_word(batch, position + ITEM - 32));
            account = address(uint160(rest >> 64));
            minorUnits = uint64(rest);
        }
    }

    /// @notice Reads message and signature of a redeem item, which stand behind what `readItem` reads.
    function readSigned(bytes calldata batch, uint256 position)
        internal
        pure
        returns (bytes calldata message, bytes calldata signature, uint256 next)
    {
        unchecked {
            position += ITEM;
            uint256 lengths = uint256(_word(batch, position));
            uint256 messageLength = lengths >> 240;
            uint256 signatureLength = uint16(lengths >> 224);
            position += LENGTHS;
            next = position + messageLength + signatureLength;
            if (next > batch.length || messageLength > MAX_MESSAGE) revert MalformedBatch();
            // Assembly, because two slices would check their bounds again, for 200 gas.
            assembly ("memory-safe") {
                message.offset := add(batch.offset, position)
                message.length := messageLength
                signature.offset := add(message.offset, messageLength)
                signature.length := signatureLength
            }
        }
    }

    /// @dev The 32 bytes at a position, whatever stands behind the batch. Assembly, because a slice checks its bounds: 290 gas instead
    /// of 36.
    function _word(bytes calldata batch, uint256 position) private pure returns (bytes32 word) {
        assembly ("memory-safe") {
            word := calldataload(add(batch.offset, position))
        }
    }
}
