// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/// @title Whether a holder signed a hash
/// @notice By key (ECDSA) or, for an account with code, by what the account itself says (ERC-1271). The key comes first for every account,
/// because an account under EIP-7702 has code and yet signs with its key.
library HolderSignature {
    /// @notice What one ERC-1271 call may spend. A 2-of-3 Safe takes about 32,000 and each further owner about 6,200; a passkey that is
    /// verified in Solidity up to 330,000. A wallet that burns all of it costs the operator a thirtieth of the largest transaction (EIP-7825).
    uint256 internal constant CALL_GAS = 500_000;

    /// @dev What a call may charge before it divides up the gas: two cold accesses of 2,600 (the account and its EIP-7702 delegate), and
    /// the few instructions between our look at the gas and the call.
    uint256 private constant CALL_OVERHEAD = 10_000;

    /// @dev A call passes on at most 63 of 64 parts of the gas (EIP-150).
    uint256 internal constant REQUIRED_GAS = CALL_GAS * 64 / 63 + CALL_OVERHEAD;

    /// @notice Too little gas is left to ask a contract account for its full share. Nothing was decided; send again with more gas.
    error InsufficientGasForSignature(uint256 required, uint256 available);

    /// @notice Whether `account` signed `hash`. For any amount of gas it answers the same or reverts.
    function isValid(address account, bytes32 hash, bytes calldata signature) internal view returns (bool) {
        if (_isSignedByKey(account, hash, signature)) return true;
        return account.code.length != 0 && _isApprovedByContract(account, hash, signature);
    }

    /// @dev Takes `v` as 27/28 or 0/1 and any `s`, as wallets and their libraries do. Both forms of a signature say the same, and nothing
    /// here is ever keyed by a signature.
    function _isSignedByKey(address account, bytes32 hash, bytes calldata signature) private pure returns (bool) {
        if (signature.length != 65) return false;
        uint8 v = uint8(signature[64]);
        address signer = ecrecover(hash, v < 27 ? v + 27 : v, bytes32(signature[:32]), bytes32(signature[32:64]));
        return signer != address(0) && signer == account;
    }

    function _isApprovedByContract(address account, bytes32 hash, bytes calldata signature) private view returns (bool) {
        bytes memory question = abi.encodeCall(IERC1271.isValidSignature, (hash, signature));

        // Given less than its share a sound wallet would fail, and that failure would stand as its answer for ever.
        if (gasleft() < REQUIRED_GAS) revert InsufficientGasForSignature(REQUIRED_GAS, gasleft());

        bool success;
        bytes32 answer;
        uint256 size;
        // Assembly, because a call in Solidity copies whatever the wallet returns into our memory: 440 kB, which its share of gas pays for,
        // cost us another 450,000 gas each time (test_returnBombCostsLittle). This copies at most 32 bytes.
        assembly ("memory-safe") {
            success := staticcall(CALL_GAS, account, add(question, 0x20), mload(question), 0x00, 0x20)
            answer := mload(0x00)
            size := returndatasize()
        }
        return success && size >= 32 && answer == bytes32(IERC1271.isValidSignature.selector);
    }
}
